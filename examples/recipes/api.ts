import { createClient } from '../../clients/typescript/src/index.ts'
import type { Api } from '../../resources/api.ts'

export const api = createClient<Api>({ url: process.env.API_URL ?? 'http://127.0.0.1:3000' })
