/** The provider has no types. Its CommonJS module exports the function as `default`. */
declare module 'ra-jsonapi-client' {
  type Provider = (request: string, resource: string, params: object) => Promise<{ data: unknown; total?: number }>

  const module: { readonly default: (apiUrl: string, settings?: object) => Provider }
  export default module
}
