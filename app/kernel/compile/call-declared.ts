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
