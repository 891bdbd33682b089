// A connected host as the loop wants it: the client, with the one thing it does not know by itself.
import type { ToolHost } from "../agent/world.ts";
import type { HostClient } from "../host/host-client.ts";

export function asToolHost(client: HostClient, workspace: ToolHost["workspace"]): ToolHost {
  return {
    instance: client.instance,
    features: client.hello.features,
    listTools: () => client.listTools(),
    callTool: (request) => client.callTool(request),
    getCall: (call) => client.getCall(call),
    cancelCall: (call) => client.cancelCall(call),
    listJobs: (since) => client.listJobs(since),
    undoTurn: (direction, turn, options) => client.undoTurn(direction, turn, options),
    listTurns: (session) => client.listTurns(session),
    turnDiff: (turn) => client.turnDiff(turn),
    watchOutput: (call, listener) => client.watchOutput(call, listener),
    policy: () => client.getPolicy(),
    workspace,
  };
}
