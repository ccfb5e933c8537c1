"""How a stream ends, in gRPC's terms."""

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status  # type: ignore[import-untyped]

from referee.ports import Status, StreamEnd

CODES = {
    Status.OK: grpc.StatusCode.OK,
    Status.LOST: grpc.StatusCode.OK,  # where the peer only closed its side, this reaches it
    Status.INVALID_ARGUMENT: grpc.StatusCode.INVALID_ARGUMENT,
    Status.UNAUTHENTICATED: grpc.StatusCode.UNAUTHENTICATED,
    Status.FAILED_PRECONDITION: grpc.StatusCode.FAILED_PRECONDITION,
    Status.RESOURCE_EXHAUSTED: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Status.ABORTED: grpc.StatusCode.ABORTED,
    Status.UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
    Status.INTERNAL: grpc.StatusCode.INTERNAL,
}


def status_of(end: StreamEnd) -> grpc.Status:
    """Return a status with `google.rpc` details where a field is at fault."""
    number: int = CODES[end.status].value[0]
    status = status_pb2.Status(code=number, message=end.text)
    if end.field:
        detail = any_pb2.Any()
        if end.status is Status.FAILED_PRECONDITION:
            failure = error_details_pb2.PreconditionFailure()
            failure.violations.add(type="VERSION", subject=end.field, description=end.text)
            detail.Pack(failure)
        else:
            request = error_details_pb2.BadRequest()
            request.field_violations.add(field=end.field, description=end.text)
            detail.Pack(request)
        status.details.append(detail)
    packed: grpc.Status = rpc_status.to_status(status)
    return packed
