/** What stands in the place of a part that could not be drawn. */
import { useText } from "../text/use-text.ts";
import { Button } from "./button.tsx";
import { FaultDetail } from "./fault-detail.tsx";
import { Notice } from "./notice.tsx";

export function BrokenPart({ message, onRetry }: { message: string; onRetry: () => void }) {
  const text = useText();
  return (
    <Notice tone="bad" title={text.common.brokenPart} actions={<Button onClick={onRetry}>{text.common.retry}</Button>}>
      <FaultDetail detail={message} />
    </Notice>
  );
}
