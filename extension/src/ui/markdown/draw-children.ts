/** How a part draws what is inside it; handed down, so that parts need not know the whole. */
import type { Parents } from "mdast";
import type { ReactNode } from "react";

export type DrawChildren = (parent: Parents) => ReactNode;
