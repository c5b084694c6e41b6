export { createHttp } from './create-http.ts'
export { httpErrors } from './errors.ts'
