/** The part of simple-oauth2 that the tests use; the library comes without types. */
declare module 'simple-oauth2' {
  export interface AccessToken {
    readonly token: Readonly<Record<string, unknown>>;
    expired(windowSeconds?: number): boolean;
    revoke(type: 'access_token'): Promise<void>;
  }

  export class ResourceOwnerPassword {
    constructor(config: {
      client: { id: string; secret: string };
      auth: { tokenHost: string; tokenPath?: string; revokePath?: string };
      options?: { authorizationMethod?: 'header' | 'body'; bodyFormat?: 'form' | 'json' };
    });
    getToken(parameters: { username: string; password: string }): Promise<AccessToken>;
  }
}
