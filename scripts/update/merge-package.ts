/** A key that both sides have changed in different ways. The value of the project is kept. */
export interface KeyConflict {
  readonly key: string
  readonly ours: unknown
  readonly theirs: unknown
}

interface MergedPackage {
  readonly merged: JsonObject
  readonly conflicts: readonly KeyConflict[]
}

type JsonObject = Readonly<Record<string, unknown>>

/** Keys that describe the project, not the template. */
const projectKeys = ['name', 'version', 'private', 'description', 'license', 'author', 'repository']

/** Merges package.json by keys: a change of the template is taken over unless the project has changed the same key. */
export function mergePackage(ours: JsonObject, base: JsonObject, theirs: JsonObject): MergedPackage {
  const conflicts: KeyConflict[] = []
  const isMerged = ([key]: [string, unknown]) => !projectKeys.includes(key)
  const pick = (value: JsonObject) => Object.fromEntries(Object.entries(value).filter(isMerged))
  const merged = mergeObjects(ours, pick(base), pick(theirs), [], conflicts)
  return { merged, conflicts }
}

function mergeObjects(
  ours: JsonObject,
  base: JsonObject,
  theirs: JsonObject,
  path: readonly string[],
  conflicts: KeyConflict[],
): JsonObject {
  const entries = keysInOrder(ours, theirs).flatMap((key) => {
    const value = mergeValue(ours[key], base[key], theirs[key], [...path, key], conflicts)
    return value === undefined ? [] : [[key, value] as const]
  })
  return Object.fromEntries(entries)
}

function mergeValue(
  ours: unknown,
  base: unknown,
  theirs: unknown,
  path: readonly string[],
  conflicts: KeyConflict[],
): unknown {
  if (isEqual(theirs, base) || isEqual(theirs, ours)) return ours
  if (isEqual(ours, base)) return theirs
  if (isJsonObject(ours) && isJsonObject(theirs)) {
    return mergeObjects(ours, isJsonObject(base) ? base : {}, theirs, path, conflicts)
  }
  // A key that the project has removed stays removed.
  if (ours !== undefined) conflicts.push({ key: path.join('.'), ours, theirs })
  return ours
}

/** The keys of the project in their order, each new key of the template after the key that precedes it there. */
function keysInOrder(ours: JsonObject, theirs: JsonObject): string[] {
  const keys = Object.keys(ours)
  for (const [index, key] of Object.keys(theirs).entries()) {
    if (keys.includes(key)) continue
    const before = Object.keys(theirs)
      .slice(0, index)
      .findLast((other) => keys.includes(other))
    keys.splice(before === undefined ? 0 : keys.indexOf(before) + 1, 0, key)
  }
  return keys
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}
