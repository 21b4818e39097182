import { useId } from 'react';

interface SegmentsProps<Value extends string> {
  readonly label: string;
  /** The label is for screen readers only. */
  readonly isLabelHidden?: boolean;
  readonly value: Value;
  /** The names by their values. */
  readonly options: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
}

/** Two to four short choices in one line. Radio buttons: one tab stop, and the arrow keys choose. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { label, isLabelHidden = false, value, options, onChange } = props;
  const name = useId();
  return (
    <fieldset className="field">
      <legend className={isLabelHidden ? 'visually-hidden' : 'field-label'}>{label}</legend>
      <span className="segments">
        {Object.entries<string>(options).map(([each, text]) => (
          <label key={each}>
            <input
              className="visually-hidden"
              type="radio"
              name={name}
              value={each}
              checked={each === value}
              onChange={() => onChange(each as Value)}
            />
            {text}
          </label>
        ))}
      </span>
    </fieldset>
  );
}
