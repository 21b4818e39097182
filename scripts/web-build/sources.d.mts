export function hashWebSources(root: string): string;
export function isWebBuildCurrent(root: string, folder: string): boolean;
