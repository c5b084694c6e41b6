import type { Plugin } from '#kernel/plugin'
import { actions } from '#plugins/actions/index.ts'
import { apiKeys } from '#plugins/api-keys/index.ts'
import { asyncWrites } from '#plugins/async-writes/index.ts'
import { atomic } from '#plugins/atomic/index.ts'
import { authorization } from '#plugins/authorization/index.ts'
import { bearerAuth } from '#plugins/bearer-auth/index.ts'
// import { changeLog } from '#plugins/change-log/index.ts'
import { clientTypes } from '#plugins/client-types/index.ts'
import { compression } from '#plugins/compression/index.ts'
import { conditionalRequests } from '#plugins/conditional-requests/index.ts'
import { cors } from '#plugins/cors/index.ts'
import { countable } from '#plugins/countable/index.ts'
import { cursorProfile } from '#plugins/cursor-profile/index.ts'
import { de, errorMapping } from '#plugins/error-mapping/index.ts'
// import { filterExpressions } from '#plugins/filter-expressions/index.ts'
import { filtering, search } from '#plugins/filtering/index.ts'
import { health } from '#plugins/health/index.ts'
// import { history } from '#plugins/history/index.ts'
import { home } from '#plugins/home/index.ts'
import { httpHeaders } from '#plugins/http-headers/index.ts'
import { idempotency } from '#plugins/idempotency/index.ts'
import { includes } from '#plugins/includes/index.ts'
import { lifecycle } from '#plugins/lifecycle/index.ts'
import { limits } from '#plugins/limits/index.ts'
import { loadShedding } from '#plugins/load-shedding/index.ts'
// import { live } from '#plugins/live/index.ts'
import { metrics } from '#plugins/metrics/index.ts'
import { openapi } from '#plugins/openapi/index.ts'
import { pagination } from '#plugins/pagination/index.ts'
import { rateLimit } from '#plugins/rate-limit/index.ts'
import { relationshipQueries } from '#plugins/relationship-queries/index.ts'
import { requestLog } from '#plugins/request-log/index.ts'
import { responses } from '#plugins/responses/index.ts'
import { schemaValidation } from '#plugins/schema-validation/index.ts'
import { securityHeaders } from '#plugins/security-headers/index.ts'
import { slowRequests } from '#plugins/slow-requests/index.ts'
import { softDelete } from '#plugins/soft-delete/index.ts'
import { sorting } from '#plugins/sorting/index.ts'
import { sparseFieldsets } from '#plugins/sparse-fieldsets/index.ts'
import { tracing } from '#plugins/tracing/index.ts'
import { validation } from '#plugins/validation/index.ts'

// import { webhooks } from '#plugins/webhooks/index.ts'

const info = { title: 'Music Catalog API', version: '1.0.0' }

/** Roles by token, for development. The token is the identifier of the principal. */
export const developmentTokens = { admin: ['admin'], 'ada@example.com': ['user'], 'mallory@example.com': ['user'] }

/** The roles of each scope of API keys. */
export const apiKeyScopes = { admin: ['admin'], user: ['user'] }

/** The list of plugins, in the order in which hooks run. Comment out a line to disable the feature. */
export const plugins: readonly Plugin[] = [
  // Around every request
  tracing(),
  requestLog(),
  slowRequests(),
  securityHeaders(),
  health(),
  metrics(),
  cors(),
  loadShedding(),
  rateLimit(),
  compression(),
  errorMapping({ messages: { de } }),
  schemaValidation(),
  limits(),

  // Reading
  sparseFieldsets(),
  includes(),
  sorting(),
  pagination({ maxPerPage: 50 }),
  cursorProfile(),
  countable(),
  relationshipQueries(),
  filtering({ handlers: { search } }),
  // filterExpressions(),

  // Authorization and validation
  authorization(),
  validation(),

  // Other operations; above the plugins that describe headers of their responses
  actions(),
  softDelete(),

  // Optional: changes of resources, for listeners, webhooks, live collections and history
  // changeLog(),
  // history(),
  // live(),
  // webhooks(),

  // Around reads and writes
  responses(),
  lifecycle(),
  asyncWrites(),
  conditionalRequests(),
  httpHeaders(),

  // Authentication; below http-headers, because public responses are the same for every principal
  bearerAuth({ developmentTokens }),
  apiKeys({ scopes: apiKeyScopes }),

  // Below all plugins that set headers of responses, which it stores
  idempotency(),

  // Other endpoints
  home(info),
  atomic(),
  openapi({
    info: { ...info, license: { name: 'MIT', identifier: 'MIT' } },
    tags: [
      { name: 'Catalog', description: 'Albums, and the forms in which they are sold.' },
      { name: 'Library', description: 'Playlists and their owners.' },
    ],
  }),
  clientTypes(),
]
