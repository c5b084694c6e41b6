import type { JobHeaders } from './contract.ts'

/** The member of the stored data that holds the headers. Workers do not receive it. */
const member = '@headers'

/** Returns the data of a job as it is stored. */
export function withHeaders(data: object, headers: JobHeaders): object {
  return Object.keys(headers).length > 0 ? { ...data, [member]: headers } : data
}

/** Separates stored data from its headers. Data without headers is returned as it is. */
export function takeHeaders(stored: unknown): { readonly headers: JobHeaders; readonly data: unknown } {
  if (typeof stored !== 'object' || stored === null || !(member in stored)) return { headers: {}, data: stored }
  const { [member]: headers, ...data } = stored
  return { headers: headers as JobHeaders, data }
}
