const WIDTHS = ['40%', '90%', '60%', '75%'];

/** In place of a part that is loading. */
export function LaterSkeleton() {
  return (
    <div className="later-skeleton" aria-busy="true">
      {WIDTHS.map((width) => (
        <span className="skeleton" key={width} style={{ '--skeleton': width } as object} />
      ))}
    </div>
  );
}
