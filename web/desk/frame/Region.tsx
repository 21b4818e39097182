/** Stands for a view that is not here yet. */
export function Region({ name }: { readonly name: string }) {
  return <div className="region" data-name={name} />;
}
