const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
}

/** Returns the title of an HTTP error without a code. */
export function findTitle(status: number): string {
  return titles[status] ?? (status >= 500 ? 'Server Error' : 'Error')
}
