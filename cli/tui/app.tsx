/** The dashboard on a terminal: Ink brings keys, size and the lines that changed; what they say is decided elsewhere. */
import { Box, Text, useApp, useInput, useStdin, useWindowSize } from "ink";
import { memo, useEffect, useSyncExternalStore } from "react";
import type { Dashboard } from "./dashboard.js";
import type { TerminalInput } from "./terminal-input.js";
import { keysOf } from "./ui/key-names.js";

export interface DashboardAppProps {
  readonly dashboard: Dashboard;
  /** Has the keys of the terminal; absent in tests. */
  readonly input?: Pick<TerminalInput, "pauseKeys" | "resumeKeys">;
}

export function DashboardApp({ dashboard, input }: DashboardAppProps) {
  useSyncExternalStore(dashboard.subscribe, dashboard.version);
  const { columns, rows } = useWindowSize();
  const { exit, suspendTerminal } = useApp();
  useEffect(() => {
    dashboard.terminal = {
      outside: (task) =>
        suspendTerminal(async () => {
          input?.pauseKeys();
          await task().finally(() => input?.resumeKeys());
        }),
      write: (text) => process.stdout.write(text),
    };
  }, [dashboard, input, suspendTerminal]);
  const { isRawModeSupported } = useStdin();
  const size = { width: columns, height: rows };
  useInput(
    (input, key) => {
      for (const name of keysOf(input, key)) dashboard.press(name, size);
    },
    // Without a terminal on standard input this would throw.
    { isActive: isRawModeSupported },
  );
  useEffect(() => {
    const leave = () => exit();
    dashboard.over.addEventListener("abort", leave);
    return () => dashboard.over.removeEventListener("abort", leave);
  }, [dashboard, exit]);
  return <TerminalLines lines={dashboard.frame(size)} />;
}

/** Lines below each other. Those that have not changed cost nothing. */
export function TerminalLines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <Box flexDirection="column" height={lines.length} overflow="hidden">
      {lines.map((line, index) => (
        <Line key={index} text={line} />
      ))}
    </Box>
  );
}

const Line = memo(({ text }: { readonly text: string }) => <Text wrap="truncate">{text}</Text>);
