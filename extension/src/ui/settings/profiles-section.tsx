/** Ways of working: what a session begins with. Those that come with it can be replaced by one's own. */
import { useAsked } from "../panel/use-asked.ts";
import { usePanel } from "../panel/panel-context.ts";
import { AskedBody } from "../common/asked-body.tsx";
import { ProfileList } from "./profile-list.tsx";
import { ProfilePage } from "./profile-page.tsx";

export function ProfilesSection() {
  const { place } = usePanel();
  const profiles = useAsked("listProfiles", {});
  const [, page] = (place.part ?? "").split("/");
  return (
    <AskedBody asked={profiles}>
      {(value) => (page === undefined ? <ProfileList profiles={value.profiles} onChanged={profiles.reload} /> : <ProfilePage key={page} profile={value.profiles.find(({ id }) => id === page) ?? null} onChanged={profiles.reload} />)}
    </AskedBody>
  );
}
