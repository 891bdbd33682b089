/** The cards that wait for the person: the conversation's own, or with a call's id, those of the sub-agent under that call. */
const CARDS = "[data-testid=approval-card], [data-testid=question-card], [data-testid=continue]";

export function waitingCards(agent: string | null): readonly HTMLElement[] {
  const of = (card: Element) => card.closest<HTMLElement>("[data-agent]")?.dataset["agent"] ?? null;
  return [...document.querySelectorAll<HTMLElement>(CARDS)].filter((card) => of(card) === agent);
}
