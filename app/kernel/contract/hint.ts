/** Values that developers use to try the API, such as tokens, for pages of the service. */
export interface Hint {
  readonly title: string
  /** A sentence that says how the values are used. */
  readonly text: string
  /** The meaning of each value. */
  readonly values: Readonly<Record<string, string>>
}
