/** Keeps one part's failure from taking the panel with it. */
import { Component, type ReactNode } from "react";
import { BrokenPart } from "./broken-part.tsx";

interface ErrorBoundaryProps {
  children: ReactNode;
  /** Of what stands over the rest: instead of a word in its place it is shut, and this says so. */
  onBroken?: (message: string) => void;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, { message: string | null }> {
  override state: { message: string | null } = { message: null };

  static getDerivedStateFromError(error: unknown) {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override componentDidCatch(): void {
    this.props.onBroken?.(this.state.message ?? "");
  }

  override render() {
    const { message } = this.state;
    if (message === null) return this.props.children;
    if (this.props.onBroken) return null;
    return <BrokenPart message={message} onRetry={() => this.setState({ message: null })} />;
  }
}
