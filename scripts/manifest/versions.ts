/** Compares versions such as `0.2.0` by their numbers; a suffix is ignored. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [parseVersion(left), parseVersion(right)]
  const index = a.findIndex((number, position) => number !== b[position])
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0)
}

export function isVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+$/.test(text)
}

function parseVersion(version: string): number[] {
  const numbers = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number)
  return numbers ?? [0, 0, 0]
}
