const ROWS = [
  ['55%', '80%'],
  ['70%', '60%'],
  ['45%', '75%'],
] as const;

/** In place of the desk while it is read. */
export function DeskSkeleton() {
  return (
    <div className="desk" data-view="list" aria-busy="true">
      <div className="bar" />
      <main className="desk-main">
        <div className="rail">
          {ROWS.map(([name, text]) => (
            <div className="conversation-row" key={name}>
              <span className="skeleton skeleton-avatar" />
              <span className="skeleton-lines">
                <Line width={name} />
                <Line width={text} />
              </span>
            </div>
          ))}
        </div>
        <div className="desk-content" />
      </main>
    </div>
  );
}

function Line({ width }: { readonly width: string }) {
  return <span className="skeleton" style={{ '--skeleton': width } as object} />;
}
