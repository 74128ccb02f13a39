import { Tooltip } from '@base-ui/react/tooltip';
import { type ButtonHTMLAttributes, type MouseEvent, type ReactElement, type ReactNode, useState } from 'react';
import { Icon, type IconName } from './icon.tsx';

export type Look = 'primary' | 'secondary' | 'ghost' | 'inverse';

const LOOKS: Readonly<Record<Look, string>> = {
  primary: 'bg-ink text-surface shadow-1 hover:bg-ink/88 active:bg-ink/80',
  secondary: 'border border-line-strong bg-raised text-ink shadow-1 hover:bg-sunken active:bg-press',
  ghost: 'text-ink-2 hover:bg-hover hover:text-ink active:bg-press',
  inverse: 'bg-surface/12 text-surface hover:bg-surface/20',
};
const SIZES = {
  small: ['h-6', 'px-2', 'w-6'],
  usual: ['h-7', 'px-2.5', 'w-7'],
  large: ['h-9', 'px-4', 'w-9'],
} as const;

type ButtonProps = {
  look?: Look;
  size?: keyof typeof SIZES;
  icon?: IconName;
  /** What the button began goes on. It keeps the focus meanwhile, which a disabled button would lose. */
  busy?: boolean;
  children?: ReactNode;
} & ButtonHTMLAttributes<HTMLButtonElement>;

export function buttonClass(look: Look = 'secondary', size: keyof typeof SIZES = 'usual', iconOnly = false): string {
  const [height, padding, width] = SIZES[size];
  const shape = iconOnly ? `${width} shrink-0` : padding;
  return `inline-flex ${height} ${shape} items-center justify-center gap-1.5 rounded-md text-sm font-medium whitespace-nowrap transition-colors duration-100 disabled:pointer-events-none disabled:opacity-50 aria-disabled:pointer-events-none aria-disabled:opacity-50 ${LOOKS[look]}`;
}

/** A button that has the focus keeps it while it is disabled: the browser would leave the focus nowhere. */
export function Button({ look, size, icon, busy, disabled = false, children, className = '', ...rest }: ButtonProps) {
  const shape = buttonClass(look, size, children === undefined);
  const [hasFocus, setFocus] = useState(false);
  // Neither its own press nor one that would send its form.
  const waits = (busy || (disabled && hasFocus)) && {
    'aria-disabled': true,
    onClick: (event: MouseEvent) => event.preventDefault(),
  };
  return (
    <button
      type="button"
      className={`${shape} ${className}`}
      disabled={disabled && !hasFocus}
      {...rest}
      onFocus={(event) => {
        rest.onFocus?.(event);
        setFocus(true);
      }}
      onBlur={(event) => {
        rest.onBlur?.(event);
        setFocus(false);
      }}
      {...waits}
    >
      {icon && <Icon name={icon} size={14} />}
      {children}
    </button>
  );
}

/** Shows a label, and the key that does the same, beside a control. */
export function Hint({
  label,
  keys,
  children,
}: {
  label: string;
  keys?: string;
  children: ReactElement<Record<string, unknown>>;
}) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className="z-50">
          <Tooltip.Popup data-hint className="pop max-w-80 rounded-md bg-ink px-2 py-1 text-xs text-surface shadow-2">
            {label}
            {keys && <span className="ms-2 opacity-70">{keys}</span>}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
