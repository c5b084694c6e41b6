/** Calls a function of a declaration. Returns null if it throws, and reports that as a fault. */
export function callDeclared<T>(call: () => T, fail: (message: string) => void): { readonly result: T } | null {
  try {
    return { result: call() }
  } catch (error) {
    // The function of an author may throw anything.
    fail(`The function throws: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}

/**
 * Calls a function of a declaration that returns a list of objects. Returns an empty list if it throws or returns anything
 * else, and reports that as a fault.
 */
export function callDeclaredList<T extends object>(
  call: () => readonly T[],
  fail: (message: string) => void,
): readonly T[] {
  const called = callDeclared<readonly T[]>(call, fail)
  if (!called) return []
  const { result } = called
  if (Array.isArray(result) && result.every((entry) => typeof entry === 'object' && entry !== null)) return result
  fail('The function returns a list whose entries are made by its builders.')
  return []
}
