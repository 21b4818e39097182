/** Shapes of Lucide, drawn with lines. */
export const CLOSE = 'M18 6 6 18M6 6l12 12';
export const FILE = 'M14 2H6a2 2 0 0 0-2 2v16a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V8zM14 2v6h6';
export const IMAGE =
  'M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2M9 7a2 2 0 1 0 0 4 2 2 0 0 0 0-4M21 15l-3.086-3.086a2 2 0 0 0-2.828 0L6 21';
export const MORE =
  'M12 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2M19 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2M5 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2';
export const OFFLINE =
  'M12 20h.01M8.5 16.429a5 5 0 0 1 7 0M5 12.859a10 10 0 0 1 5.17-2.69M19 12.859a10 10 0 0 0-2.007-1.523M2 8.82a15 15 0 0 1 4.177-2.643M22 8.82a15 15 0 0 0-11.288-3.764M2 2l20 20';
export const SEEN = 'M18 6 7 17l-5-5M22 10l-7.5 7.5L13 16';
