/** Every profile, what it fixes, and which one new sessions begin with. */
import { Pencil, Plus } from "lucide-react";
import type { Profile } from "../../agent/profile.ts";
import { profileName } from "../chat/profile-name.ts";
import { Badge } from "../common/badge.tsx";
import { Button } from "../common/button.tsx";
import { Card } from "../common/card.tsx";
import { FactsLine } from "../common/facts-line.tsx";
import { IconButton } from "../common/icon-button.tsx";
import { Row, Rows } from "../common/row.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { REFUSED } from "../panel/use-intents.ts";
import { useText } from "../text/use-text.ts";

interface ProfileListProps {
  profiles: readonly (Profile & { readonly builtIn: boolean })[];
  onChanged: () => void;
}

export function ProfileList({ profiles, onChanged }: ProfileListProps) {
  const text = useText();
  const words = text.settings.profiles;
  const { app, go, send, show } = usePanel();
  const chosen = app.defaults.profile ?? "write";
  const nameOf = ({ id, name }: Profile) => profileName(id, name, text);
  const use = async (profile: Profile) => {
    if ((await send("selectProfile", { session: null, profile: profile.id })) === REFUSED) return;
    show({ tone: "good", message: words.used(nameOf(profile)) });
    onChanged();
  };
  return (
    <Card title={words.title} hint={words.hint} actions={<Button weight="primary" icon={<Plus aria-hidden size={14} />} data-testid="profile-add" onClick={() => go({ part: "profiles/new" })}>{words.add}</Button>}>
      <Rows label={words.title}>
        {profiles.map((profile) => (
          <Row
            key={profile.id}
            testId="profile-row"
            id={profile.id}
            title={nameOf(profile)}
            badges={<>{profile.id === chosen && <Badge tone="accent">{text.settings.models.inUse}</Badge>}{profile.builtIn && <Badge>{words.builtIn}</Badge>}</>}
            hint={<ProfileFacts profile={profile} />}
            actions={
              <>
                {profile.id !== chosen && <Button weight="quiet" data-testid="profile-use" onClick={() => void use(profile)}>{text.settings.models.use}</Button>}
                <IconButton label={text.settings.models.edit(nameOf(profile))} data-testid="profile-edit" icon={<Pencil size={14} />} onClick={() => go({ part: `profiles/${profile.id}` })} />
              </>
            }
          />
        ))}
      </Rows>
    </Card>
  );
}

function ProfileFacts({ profile: { mode, model, thinking, tools, interval } }: { profile: Profile }) {
  const text = useText();
  const words = text.settings.profiles;
  const { app } = usePanel();
  if (!mode && !model && !thinking && !tools && !interval) return words.asSession;
  return (
    <FactsLine>
      {mode && text.mode[mode]}
      {model && (app.models.find(({ id }) => id === model)?.label ?? words.modelGone)}
      {thinking && words.thinkingIs(text.work.thinkingLevels[thinking])}
      {tools && words.toolCount(tools.length)}
      {interval && words.heartbeatIs(interval)}
    </FactsLine>
  );
}
