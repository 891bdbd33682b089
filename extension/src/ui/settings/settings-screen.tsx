/** What can be set: a list of sections, then one of them. */
import { ErrorBoundary } from "../common/error-boundary.tsx";
import { ScreenBody } from "../common/screen-body.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useText } from "../text/use-text.ts";
import { SectionList } from "./section-list.tsx";
import { SECTIONS } from "./section-names.ts";
import { sections } from "./sections.tsx";

export function SettingsScreen() {
  const text = useText();
  const { place, go } = usePanel();
  const name = SECTIONS.find((known) => known === place.part?.split("/")[0]) ?? null;
  if (name === null) {
    return (
      <ScreenBody label={text.header.screens.settings} testId="settings">
        <SectionList onOpen={(part) => go({ part })} />
      </ScreenBody>
    );
  }
  return (
    <ScreenBody key={name} label={text.settings.sections[name].title} testId={`settings-${name}`}>
      <ErrorBoundary>{sections[name].view()}</ErrorBoundary>
    </ScreenBody>
  );
}
