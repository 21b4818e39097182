import { Icon } from './Icon.tsx';
import { ALERT } from './icons.ts';

/** What is wrong with a field, which refers to it by `aria-describedby`. */
export function FieldError({ id, children }: { readonly id: string; readonly children: string }) {
  return (
    <span className="field-error" id={id}>
      <Icon path={ALERT} />
      {children}
    </span>
  );
}
