// Every scene of the gallery: those of the conversation and those of the other screens.
import type { Scene } from "./fake-client.ts";
import { scenes } from "./scenes.ts";
import { screenScenes } from "./screen-scenes.ts";

export const allScenes: Record<string, Scene> = { ...scenes, ...screenScenes };
