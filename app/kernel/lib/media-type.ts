export const mediaType = 'application/vnd.api+json'
