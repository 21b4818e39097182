export function installPackages(folder: string, name: string): boolean;
