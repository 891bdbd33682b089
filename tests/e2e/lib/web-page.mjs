// A page of somebody else's on 127.0.0.1, beside the panel: to be attached, selected in, and asked about by its context menu.
import http from "node:http";
import { deflateSync, crc32 } from "node:zlib";
import { waitUntil } from "./wait.mjs";

const HTML = `<!doctype html><html lang="en"><title>The harbour</title><h1>Ships in the harbour</h1>
<p id="ships">Seven ships lie at the pier.</p><p><a id="link" href="/tides">The tides of today</a></p><p><img id="picture" src="/picture.png" width="60" height="60" alt="A boat"></p></html>`;

export class WebPage {
  static async open(stage) {
    const web = new WebPage();
    web.stage = stage;
    web.server = http.createServer((request, response) => {
      const isPicture = request.url === "/picture.png";
      response.setHeader("content-type", isPicture ? "image/png" : "text/html; charset=utf-8");
      response.end(isPicture ? smallPicture() : HTML);
    });
    await new Promise((resolve) => web.server.listen(0, "127.0.0.1", resolve));
    stage.scratch.atEnd(() => web.server.close());
    web.url = `http://127.0.0.1:${web.server.address().port}/`;
    web.page = await stage.browser.openBeside(web.url);
    await web.page.waitForSelector("#picture");
    return web;
  }

  /** Selects the text of an element, as a pointer does. */
  async select(selector) {
    await this.page.$eval(selector, (element) => getSelection().selectAllChildren(element));
  }

  /**
   * "Ask Outrigger" of the context menu on an element. In Firefox the menu itself is opened and its item pressed. Chromium draws its menu
   * outside every page, out of a driver's reach: the item is looked for by its id, and the background is told of the click as the browser does.
   */
  async ask(selector, { profile = null } = {}) {
    const item = profile === null ? "ask" : `ask:${profile}`;
    if (this.stage.name === "firefox") return this.#pressInFirefox(selector, item);
    const click = await this.page.$eval(selector, (element) => ({
      pageUrl: location.href,
      title: document.title,
      selectionText: String(getSelection() ?? ""),
      linkUrl: element.href,
      linkText: element.href === undefined ? undefined : element.textContent,
      srcUrl: element.src,
      mediaType: element.src === undefined ? undefined : "image",
    }));
    // Throws where there is no such item; it is made anew whenever profiles are changed.
    await waitUntil(`the menu's item \`${item}\``, () => this.stage.browser.inBackground((id) => chrome.contextMenus.update(id, {}).then(() => true), item));
    await this.stage.browser.inBackground(async ({ id, info }) => {
      const tab = (await chrome.tabs.query({})).find(({ url }) => url === info.pageUrl);
      // A browser opens the panel for a person's own click alone, and the panel is open. Refused, it would come as a tab, and that might be
      // quicker to take what is asked.
      chrome.sidePanel.open = async () => {};
      chrome.contextMenus.onClicked.dispatch({ ...info, menuItemId: id, editable: false }, tab);
    }, { id: item, info: click });
    const panels = (await this.stage.browser.browser.targets()).filter((target) => target.url().includes("/sidepanel.html"));
    if (panels.length !== 1) throw new Error(`there are ${panels.length} panels now`);
  }

  async #pressInFirefox(selector, item) {
    const { browser } = this.stage;
    const box = await (await this.page.$(selector)).boundingBox();
    const find = `[...document.querySelectorAll("#contentAreaContextMenu menu, #contentAreaContextMenu menuitem")].find(({ id }) => id.endsWith("-menuitem-_${item}"))`;
    await this.page.mouse.click(box.x + Math.min(12, box.width / 2), box.y + box.height / 2, { button: "right" });
    await waitUntil("the context menu with our item", async () => (await browser.inWindows(`document.getElementById("contentAreaContextMenu").state === "open" && ${find} !== undefined`)).some(Boolean));
    // What holds a submenu does nothing by itself: its first item is the profile that a new session has.
    await browser.inWindows(`(() => {
      const menu = document.getElementById("contentAreaContextMenu");
      const found = menu.state === "open" ? ${find} : undefined;
      if (found === undefined) return;
      const pressed = found.localName === "menu" ? found.querySelector("menuitem") : found;
      menu.activateItem === undefined || found.localName === "menu" || pressed.parentNode !== menu ? pressed.doCommand() : menu.activateItem(pressed);
      menu.hidePopup();
    })()`);
  }
}

/** Four grey points. */
export function smallPicture() {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const framed = Buffer.alloc(body.length + 8);
    framed.writeUInt32BE(data.length, 0);
    body.copy(framed, 4);
    framed.writeUInt32BE(crc32(body), body.length + 4);
    return framed;
  };
  const head = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, 0, 0, 0, 0]);
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", head), chunk("IDAT", deflateSync(Buffer.from([0, 90, 160, 0, 160, 90]))), chunk("IEND", Buffer.alloc(0))]);
}
