import jsonapiClient from 'ra-jsonapi-client'

/** Creates the data provider with its default settings. */
export function createProvider(apiUrl: string) {
  return jsonapiClient.default(apiUrl)
}
