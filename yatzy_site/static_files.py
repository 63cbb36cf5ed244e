from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import Redirect, StaticFile


class StaticFiles(WhiteNoiseMiddleware):
    """Static files in one piece.

    They are small, and Django warns when an ASGI server is given a file bit by bit.
    """

    @staticmethod
    def serve(static_file: StaticFile | Redirect, request: HttpRequest) -> HttpResponse:
        streamed = WhiteNoiseMiddleware.serve(static_file, request)
        content = b"".join(streamed.streaming_content)
        streamed.close()
        response = HttpResponse(content, status=streamed.status_code)
        del response["content-type"]
        for name, value in streamed.items():
            response[name] = value
        return response
