/** What a person said about a card: the calls that may run, and a note for those that may not. */
export interface CardAnswer {
  allowed: readonly string[];
  denied: readonly string[];
  note?: string;
}
