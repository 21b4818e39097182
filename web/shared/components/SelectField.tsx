import { Fragment, useId } from 'react';
import { Icon } from './Icon.tsx';
import { CHEVRON_DOWN } from './icons.ts';

interface SelectFieldProps<Value extends string> {
  readonly label: string;
  /** The label is for screen readers only. */
  readonly isLabelHidden?: boolean;
  readonly hint?: string;
  readonly value: Value;
  /** The names by their values. */
  readonly options: Readonly<Record<Value, string>>;
  /** How many options stand above a line, because they are chosen most. */
  readonly firstCount?: number;
  readonly onChange: (value: Value) => void;
  readonly isDisabled?: boolean;
}

/** The browser's own select: for short lists nothing works better, on a phone above all. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, isLabelHidden = false, hint, value, options, firstCount, onChange, isDisabled = false } = props;
  const id = useId();
  return (
    <div className="field">
      <label className={isLabelHidden ? 'visually-hidden' : 'field-label'} htmlFor={id}>
        {label}
      </label>
      <span className="select">
        <select
          className="input"
          id={id}
          value={value}
          disabled={isDisabled}
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
          onChange={(event) => onChange(event.target.value as Value)}
        >
          {Object.entries<string>(options).map(([each, name], index) => (
            <Fragment key={each}>
              {index === firstCount && <hr />}
              <option value={each}>{name}</option>
            </Fragment>
          ))}
        </select>
        <Icon path={CHEVRON_DOWN} />
      </span>
      {hint !== undefined && (
        <span className="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}
