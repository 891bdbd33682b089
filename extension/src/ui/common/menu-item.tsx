/** An act in a menu. */
import { Menu } from "@base-ui/react/menu";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

interface MenuItemProps {
  icon: ReactNode;
  danger?: boolean;
  testId?: string;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}

export function MenuItem({ icon, danger = false, testId, disabled = false, onClick, children }: MenuItemProps) {
  return (
    <Menu.Item
      data-testid={testId}
      disabled={disabled}
      onClick={onClick}
      className={classNames("flex items-center gap-2 rounded-md px-2 py-1.5 outline-none data-disabled:opacity-50 data-highlighted:bg-sunken", danger && "text-bad")}
    >
      {icon}
      {children}
    </Menu.Item>
  );
}
