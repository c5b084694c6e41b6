/** A declaration that has another meaning without a plugin. */
export interface Need {
  /** The key or the field of the type. */
  readonly member: string
  /** The key or the modifiers, such as `required(), maxLength()`. */
  readonly ignored: string
}
