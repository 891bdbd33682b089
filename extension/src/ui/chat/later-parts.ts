/** What few conversations need: loaded together with the screens beside the chat, or when it is asked for. */
import { later } from "../common/later.tsx";

const rare = () => import("./rare-parts.ts");

export const ArgsEditor = later(async () => (await rare()).ArgsEditor, { room: false });
export const EditMessage = later(async () => (await rare()).EditMessage, { room: false });
export const QuestionCard = later(async () => (await rare()).QuestionCard, { room: false });
export const ScheduleCard = later(async () => (await rare()).ScheduleCard, { room: false });
