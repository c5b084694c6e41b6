/** Who asks, as the middleware of the server has found out. */
export interface Principal {
  readonly identifier: string
  readonly roles?: readonly string[]
}
