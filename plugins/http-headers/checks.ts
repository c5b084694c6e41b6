import { type CacheDirectives, type CacheHeaders, type Deprecated, readShapes } from './headers.ts'

/** A fault of declared headers: the key and a sentence. */
type HeaderFault = readonly [key: string, message: string]

export function cacheFaults(cacheHeaders: CacheHeaders): HeaderFault[] {
  const levels = [cacheHeaders, ...readShapes.flatMap((shape) => cacheHeaders.operations?.[shape] ?? [])]
  return levels.flatMap(directiveFaults)
}

function directiveFaults({
  max_age,
  s_maxage,
  public: isPublic,
  private: isPrivate,
  vary,
}: CacheDirectives): HeaderFault[] {
  const faults: HeaderFault[] = []
  for (const [name, seconds] of Object.entries({ max_age, s_maxage })) {
    if (seconds === undefined || (Number.isSafeInteger(seconds) && seconds >= 0)) continue
    faults.push(['cacheHeaders', `${name} must be a whole number of seconds.`])
  }
  if (isPublic && isPrivate) faults.push(['cacheHeaders', 'A response cannot be both public and private.'])
  for (const name of [vary ?? []].flat()) {
    if (!/^[\w-]+$/.test(name)) faults.push(['cacheHeaders', `'${name}' is not the name of a header.`])
  }
  return faults
}

export function deprecationFaults({ deprecation, sunset, sunsetLink }: Deprecated): HeaderFault[] {
  const faults: HeaderFault[] = []
  if (typeof deprecation === 'string' && !/^[\x20-\x7e]+$/.test(deprecation)) {
    faults.push(['deprecation', 'The text is sent as a header; use printable ASCII only.'])
  }
  if (deprecation instanceof Date && Number.isNaN(deprecation.getTime())) {
    faults.push(['deprecation', 'The Date is invalid.'])
  }
  if (sunset !== undefined && new Date(sunset).toUTCString() !== sunset) {
    faults.push(['sunset', `'${sunset}' is not an HTTP date such as Sat, 31 Dec 2050 23:59:59 GMT.`])
  }
  if (sunsetLink !== undefined && !URL.canParse(sunsetLink)) {
    faults.push(['sunsetLink', `'${sunsetLink}' is not a URL.`])
  }
  return faults
}
