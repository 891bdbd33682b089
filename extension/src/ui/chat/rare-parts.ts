// What few conversations need, in one file of the build: see `later-parts.ts`.
export { ScheduleCard } from "../agents/schedule-card.tsx";
export { ArgsEditor } from "../approvals/args-editor.tsx";
export { EditMessage } from "../turns/edit-message.tsx";
export { QuestionCard } from "./question-card.tsx";
