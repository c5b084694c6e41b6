export { createHttp } from './create-http.ts'
