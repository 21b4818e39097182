/** In an element with the class `brand`. */
export function Brand() {
  return (
    <>
      <svg
        className="logo"
        viewBox="0 0 24 24"
        aria-hidden="true"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.5"
        strokeLinecap="round"
      >
        <circle cx="6" cy="6" r="3.25" />
        <circle cx="18" cy="18" r="3.25" />
        <path d="M6 9.5v3.5a5 5 0 0 0 5 5h3.5" />
      </svg>
      Switchboard
    </>
  );
}
