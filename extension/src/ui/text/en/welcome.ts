/** The page after the install. */
export const welcome = {
  title: "Outrigger is installed",
  intro: "It works in a panel at the edge of the window, beside whatever you look at.",
  next: "The panel then leads you through the rest: the program on your machine, a folder, a model.",
  later: "To find it again",
  isPinned: "Done: it stands in the toolbar.",
  chromium: {
    open: "Open the side panel",
    isOpen: "The panel is open, at the edge of this window. You can close this tab.",
    list: "Press the puzzle piece at the right of the address bar.",
    pin: "Press the pin beside Outrigger: its button then stays in sight.",
    press: "Its button opens and shuts the panel, in every tab.",
  },
  firefox: {
    open: "Open the sidebar",
    isOpen: "The sidebar is open, at the edge of this window. You can close this tab.",
    list: "Press the puzzle piece at the right of the address bar.",
    pin: "Press the wheel beside Outrigger and choose “Pin to Toolbar”: its button then stays in sight.",
    press: "Its button opens and shuts the sidebar, in every tab.",
  },
};
