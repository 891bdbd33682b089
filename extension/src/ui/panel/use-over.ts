/** Tells the receipts when something that was refused is no longer in the way, whoever brought that about. */
import { useEffect } from "react";
import type { Cause } from "./causes-of.ts";

export function useOver(over: (causes: readonly Cause[]) => void, { host, disk, idle }: Readonly<Record<"host" | "disk" | "idle", boolean>>): void {
  useEffect(() => {
    if (host) over(["host"]);
  }, [over, host]);
  useEffect(() => {
    if (disk) over(["disk"]);
  }, [over, disk]);
  useEffect(() => {
    if (idle) over(["idle"]);
  }, [over, idle]);
}
