/** Every word the panel says, in Simplified Chinese. */
import type { Catalogue } from "../catalogue.ts";
import { announce } from "./announce.ts";
import { approval } from "./approval.ts";
import { cards } from "./cards.ts";
import { dock } from "./dock.ts";
import { turns } from "./turns.ts";
import { meter } from "./meter.ts";
import { welcome } from "./welcome.ts";
import { work } from "./work.ts";
import { attach } from "./attach.ts";
import { chat } from "./chat.ts";
import { common } from "./common.ts";
import { composer } from "./composer.ts";
import { connection } from "./connection.ts";
import { diff } from "./diff.ts";
import { faults } from "./faults.ts";
import { firstRun } from "./first-run.ts";
import { header } from "./header.ts";
import { terminal } from "./terminal.ts";
import { settings } from "./settings.ts";
import { changes } from "./changes.ts";
import { host } from "./host.ts";
import { keys } from "./keys.ts";
import { language } from "./language.ts";
import { mode } from "./mode.ts";
import { model } from "./model.ts";
import { plan } from "./plan.ts";
import { question } from "./question.ts";
import { sessions } from "./sessions.ts";
import { storage } from "./storage.ts";
import { tool } from "./tool.ts";
import { workspace } from "./workspace.ts";

export const zh: Catalogue = {
  language,
  common,
  header,
  connection,
  welcome,
  workspace,
  model,
  mode,
  firstRun,
  chat,
  composer,
  tool,
  approval,
  attach,
  work,
  meter,
  turns,
  dock,
  cards,
  plan,
  host,
  question,
  diff,
  faults,
  sessions,
  announce,
  keys,
  changes,
  settings,
  terminal,
  storage,
};
