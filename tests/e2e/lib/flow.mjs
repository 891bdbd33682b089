// One flow of the panel, played in each browser over the real host and a scripted model: what every test of the conversation stands on.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ModelServer, textOf } from "../model-server.mjs";
import { Chat } from "./chat.mjs";
import { BROWSERS, onStage } from "./screen-stage.mjs";
import { isTurn } from "./turns.mjs";
import { makeSample } from "./workspace.mjs";

/**
 * `model`: the steps of a scenario, or a function that answers each request. `files`: laid into the workspace `shop`.
 * `diskMebibytes`: as the stage has it. `browsers`: where it is played, if not in each. `play` gets `{context, stage, panel, chat, page, server, folder}`; the model `scripted` is chosen and the host has answered.
 */
export function flow(title, { model, files = {}, config = "", workspaces = () => [], browsers = BROWSERS.filter(isTurn), timeoutMs = 300_000, diskMebibytes = null }, play) {
  for (const name of browsers) {
    test(`${name}: ${title}`, { timeout: timeoutMs }, async (context) => {
      const server = await ModelServer.start(model);
      let folder = null;
      const make = async (scratch, environment) => {
        folder = makeSample(scratch.make("shop"), environment);
        for (const [file, content] of Object.entries(files)) writeFileSync(path.join(folder, file), content);
        return [{ id: "shop", folder }, ...(await workspaces(scratch, environment))];
      };
      try {
        await onStage(name, { workspaces: make, config, diskMebibytes }, async (stage) => {
          await stage.panel.waitConnected();
          await stage.panel.addModelServer({ baseUrl: server.baseUrl, name: "scripted" });
          await play({ context, stage, panel: stage.panel, chat: new Chat(stage.panel), page: stage.page, server, folder });
        });
      } catch (error) {
        process.stderr.write(`The model server answered ${server.answered} requests; problems: ${JSON.stringify(server.problems, null, 2)}\n`);
        throw error;
      } finally {
        await server.close();
      }
    });
  }
}

/**
 * A model that goes by what was said last: rows of `[pattern, reply, reply after the first result, ...]`. A reply may be a function of the request.
 * What fits no row is said back. Usage is reckoned, so that the meters have something to show.
 */
export function bySaying(...rows) {
  return (asked) => {
    const usage = { prompt_tokens: Math.round(JSON.stringify(asked).length / 4), completion_tokens: 20, total_tokens: 0 };
    const place = asked.messages.findLastIndex((message) => message.role === "user");
    const said = textOf(asked.messages[place]);
    const row = rows.find(([pattern]) => pattern.test(said));
    if (row === undefined) return { text: `You said: ${said.slice(0, 60)}`, usage };
    const steps = asked.messages.slice(place).filter((message) => message.role === "assistant").length;
    const reply = row[Math.min(steps + 1, row.length - 1)];
    return { usage, ...(typeof reply === "function" ? reply(asked) : reply) };
  };
}

/** The text of the last tool result of a request. */
export function lastResult(asked) {
  return textOf(asked.messages.findLast((message) => message.role === "tool"));
}
