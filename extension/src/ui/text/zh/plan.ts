/** What the host says of a plan, in Simplified Chinese. */
import type { Catalogue } from "../catalogue.ts";

export const plan: Catalogue["plan"] = {
  acts: {
    edit: (path, added, removed) => `编辑 ${path}（+${added} −${removed}）`,
    create: (path, added, removed) => `新建 ${path}（+${added} −${removed}）`,
    overwrite: (path, added, removed) => `覆盖 ${path}（+${added} −${removed}）`,
    append: (path, added, removed) => `追加到 ${path}（+${added} −${removed}）`,
    patch: (count, added, removed) => `修改 ${count} 个文件（+${added} −${removed}）`,
    run: (command) => `运行 ${command}`,
    commit: (count, branch) => `将 ${count} 个文件提交到 ${branch}`,
    stage: (count) => `暂存 ${count} 个路径`,
    unstage: (count) => `取消暂存 ${count} 个路径`,
    remove: (path, bytes) => `删除 ${path}（${bytes} 字节）`,
    folder: (path) => `新建文件夹 ${path}`,
    restore: (count, from) => `从 ${from} 恢复 ${count} 个文件`,
  },
  reasons: {
    batch: (tool) => `${tool} 在更改前会询问`,
    each: (tool) => `${tool} 每次都会询问`,
    commandBatch: "此命令在更改前会询问",
    commandEach: "此命令每次都会询问",
    configured: (tool) => `配置要求 ${tool} 询问`,
    protected: (path) => `${path} 受保护：其他程序会依其内容行事`,
    unread: (path) => `${path} 将被覆盖，而未说明读取的是哪个版本`,
    executable: (path) => `${path} 将变为可执行`,
    shared: (branch) => `${branch} 是他人也在使用的分支`,
    amends: "它会替换上一次提交",
    strangers: (who) => `对话中含有 ${who} 的文字，因此不会自动运行任何操作`,
  },
};
