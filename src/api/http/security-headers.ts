/** On every response: browsers must not guess another media type, for example HTML in an error that repeats its input. */
export const NO_SNIFF = { 'x-content-type-options': 'nosniff' };

/** The same, for responses that are written to the socket. */
export const NO_SNIFF_LINE = 'X-Content-Type-Options: nosniff\r\n';
