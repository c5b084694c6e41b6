/** Returns a function that does the work when it is called for the first time. */
export function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}
