/** A part of a request, which plugins can measure. */
export interface Stage {
  readonly name: 'read body' | 'run operations' | 'write response'
  /** Those of the stage 'run operations'. */
  readonly operations?: readonly StageOperation[]
}

/** The part of an operation that describes it. */
export interface StageOperation {
  readonly kind: string
  readonly target: { readonly type: { readonly name: string } }
}
