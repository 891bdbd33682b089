/** How the agent works: its profile, and how long the model may think. */
import { Menu } from "@base-ui/react/menu";
import { Check, ChevronsUpDown, UserRound } from "lucide-react";
import type { ThinkingLevel } from "../../agent/events.ts";
import type { Profile } from "../../agent/profile.ts";
import { useText } from "../text/use-text.ts";
import { profileName } from "./profile-name.ts";
import { LEVELS, levelName } from "./use-commands.ts";

interface ProfileMenuProps {
  profiles: readonly Profile[];
  chosen: string;
  thinking: ThinkingLevel | undefined;
  onOpen: () => void;
  onProfile: (id: string) => void;
  onThinking: (level: ThinkingLevel | null) => void;
}

const itemLook = "flex items-start gap-2 rounded-md px-2 py-1.5 outline-none data-highlighted:bg-sunken";

export function ProfileMenu({ profiles, chosen, thinking, onOpen, onProfile, onThinking }: ProfileMenuProps) {
  const text = useText();
  const words = text.work;
  const hints: Record<string, string> = words.builtInHints;
  const current = profiles.find(({ id }) => id === chosen);
  const name = profileName(chosen, current?.name ?? chosen, text);
  const label = words.profileLabel(name, levelName(thinking ?? null, text));
  return (
    <Menu.Root onOpenChange={(open) => open && onOpen()}>
      <Menu.Trigger aria-label={label} title={label} data-testid="profile-select" data-value={chosen} data-thinking={thinking ?? ""} className="inline-flex h-6 min-w-0 items-center gap-1 rounded-md px-1 text-xs text-soft hover:bg-sunken hover:text-ink data-popup-open:bg-sunken data-popup-open:text-ink">
        <UserRound aria-hidden size={13} className="shrink-0 tiny:hidden" />
        <span className="truncate">{name}</span>
        <ChevronsUpDown aria-hidden size={10} className="shrink-0 tiny:hidden" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side="top" align="end" sideOffset={6} collisionPadding={8} className="z-30">
          <Menu.Popup className="max-h-(--available-height) w-64 max-w-(--available-width) overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-float outline-none">
            <Menu.RadioGroup value={chosen} onValueChange={onProfile}>
              <Menu.Group>
                <Menu.GroupLabel className="px-2 pt-1 pb-0.5 text-2xs font-medium text-soft">{words.profile}</Menu.GroupLabel>
                {profiles.map((profile) => (
                  <Menu.RadioItem key={profile.id} value={profile.id} closeOnClick data-testid="profile-option" data-value={profile.id} className={itemLook}>
                    <span className="mt-0.5 size-3.5 shrink-0"><Menu.RadioItemIndicator><Check aria-hidden size={14} className="text-accent" /></Menu.RadioItemIndicator></span>
                    <span className="min-w-0 flex-1">
                      <span className="block truncate font-medium">{profileName(profile.id, profile.name, text)}</span>
                      {Object.hasOwn(hints, profile.id) && <span className="block text-xs text-soft">{hints[profile.id]}</span>}
                    </span>
                  </Menu.RadioItem>
                ))}
              </Menu.Group>
            </Menu.RadioGroup>
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.RadioGroup value={thinking ?? null} onValueChange={onThinking}>
              <Menu.Group>
                <Menu.GroupLabel className="px-2 pt-1 pb-0.5 text-2xs font-medium text-soft">{words.thinking}</Menu.GroupLabel>
                {LEVELS.map((each) => (
                  <Menu.RadioItem key={each} value={each} closeOnClick data-testid="thinking-option" data-value={each ?? ""} className={itemLook}>
                    <span className="mt-0.5 size-3.5 shrink-0"><Menu.RadioItemIndicator><Check aria-hidden size={14} className="text-accent" /></Menu.RadioItemIndicator></span>
                    {levelName(each, text)}
                  </Menu.RadioItem>
                ))}
              </Menu.Group>
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
