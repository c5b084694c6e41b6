/** The number of Unicode code points. JSON Schema and the store count characters in this way, `length` counts UTF-16 units. */
export function countCodePoints(text: string): number {
  let count = text.length
  let previous = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    // A low surrogate after a high one is a part of the same code point.
    if (unit >= 0xdc00 && unit <= 0xdfff && previous >= 0xd800 && previous <= 0xdbff) count--
    previous = unit
  }
  return count
}
