// The log's events, which stand on the lowest floor because storage, models and host speak of them too.
export * from "../wire/events.ts";
