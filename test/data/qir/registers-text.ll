; ModuleID = 'tk12'
source_filename = "tk12"

@0 = internal constant [2 x i8] c"a\00"
@1 = internal constant [2 x i8] c"b\00"
@2 = internal constant [2 x i8] c"d\00"
@3 = internal constant [15 x i8] c"tk_SCRATCH_BIT\00"

define void @main() #0 {
entry:
  call void @__quantum__qis__cz__body(ptr inttoptr (i64 2 to ptr), ptr null)
  call void @__quantum__qis__h__body(ptr inttoptr (i64 1 to ptr))
  call void @__quantum__qis__h__body(ptr inttoptr (i64 3 to ptr))
  call void @__quantum__qis__h__body(ptr null)
  call void @__quantum__qis__cnot__body(ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 3 to ptr))
  call void @__quantum__qis__h__body(ptr inttoptr (i64 2 to ptr))
  call void @__quantum__qis__t__body(ptr null)
  call void @__quantum__qis__t__body(ptr inttoptr (i64 1 to ptr))
  call void @__quantum__qis__h__body(ptr inttoptr (i64 3 to ptr))
  call void @__quantum__qis__rz__body(double 0x401120592AE6329A, ptr null)
  call void @__quantum__qis__h__body(ptr inttoptr (i64 1 to ptr))
  call void @__quantum__qis__x__body(ptr null)
  call void @__quantum__qis__mz__body(ptr null, ptr null)
  %0 = call i1 @__quantum__qis__read_result__body(ptr null)
  %1 = zext i1 %0 to i64
  %2 = mul i64 %1, 1
  %3 = or i64 %2, 0
  %4 = sub i64 1, %1
  %5 = mul i64 %4, 1
  %6 = xor i64 9223372036854775807, %5
  %7 = and i64 %6, %3
  %8 = icmp eq i64 1, %7
  %9 = zext i1 %8 to i64
  %10 = mul i64 %9, 1
  %11 = or i64 %10, 0
  %12 = sub i64 1, %9
  %13 = mul i64 %12, 1
  %14 = xor i64 9223372036854775807, %13
  %15 = and i64 %14, %11
  %16 = icmp eq i64 0, %7
  %17 = zext i1 %16 to i64
  %18 = mul i64 %17, 2
  %19 = or i64 %18, %15
  %20 = sub i64 1, %17
  %21 = mul i64 %20, 2
  %22 = xor i64 9223372036854775807, %21
  %23 = and i64 %22, %19
  %24 = and i64 1, %23
  %25 = icmp eq i64 1, %24
  br i1 %25, label %condb0, label %contb0

condb0:                                           ; preds = %entry
  call void @__quantum__qis__x__body(ptr inttoptr (i64 1 to ptr))
  br label %contb0

contb0:                                           ; preds = %condb0, %entry
  %26 = and i64 2, %23
  %27 = icmp eq i64 2, %26
  br i1 %27, label %condb1, label %contb1

condb1:                                           ; preds = %contb0
  call void @__quantum__qis__h__body(ptr inttoptr (i64 2 to ptr))
  br label %contb1

contb1:                                           ; preds = %condb1, %contb0
  call void @__quantum__qis__mz__body(ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 1 to ptr))
  %28 = call i1 @__quantum__qis__read_result__body(ptr inttoptr (i64 1 to ptr))
  %29 = zext i1 %28 to i64
  %30 = mul i64 %29, 1
  %31 = or i64 %30, 0
  %32 = sub i64 1, %29
  %33 = mul i64 %32, 1
  %34 = xor i64 9223372036854775807, %33
  %35 = and i64 %34, %31
  call void @__quantum__qis__mz__body(ptr inttoptr (i64 2 to ptr), ptr inttoptr (i64 2 to ptr))
  %36 = call i1 @__quantum__qis__read_result__body(ptr inttoptr (i64 2 to ptr))
  %37 = zext i1 %36 to i64
  %38 = mul i64 %37, 2
  %39 = or i64 %38, %35
  %40 = sub i64 1, %37
  %41 = mul i64 %40, 2
  %42 = xor i64 9223372036854775807, %41
  %43 = and i64 %42, %39
  %44 = icmp eq i64 1, %43
  %45 = zext i1 %44 to i64
  %46 = mul i64 %45, 4
  %47 = or i64 %46, %23
  %48 = sub i64 1, %45
  %49 = mul i64 %48, 4
  %50 = xor i64 9223372036854775807, %49
  %51 = and i64 %50, %47
  %52 = icmp eq i64 2, %43
  %53 = zext i1 %52 to i64
  %54 = mul i64 %53, 8
  %55 = or i64 %54, %51
  %56 = sub i64 1, %53
  %57 = mul i64 %56, 8
  %58 = xor i64 9223372036854775807, %57
  %59 = and i64 %58, %55
  %60 = and i64 1, %7
  %61 = icmp eq i64 1, %60
  %62 = and i64 1, %43
  %63 = icmp eq i64 1, %62
  %64 = xor i1 %61, %63
  %65 = and i64 2, %43
  %66 = icmp eq i64 2, %65
  %67 = or i1 %64, %66
  %68 = zext i1 %67 to i64
  %69 = mul i64 %68, 1
  %70 = or i64 %69, 0
  %71 = sub i64 1, %68
  %72 = mul i64 %71, 1
  %73 = xor i64 9223372036854775807, %72
  %74 = and i64 %73, %70
  %75 = and i64 4, %59
  %76 = icmp eq i64 4, %75
  br i1 %76, label %condb2, label %contb2

condb2:                                           ; preds = %contb1
  call void @__quantum__qis__h__body(ptr inttoptr (i64 3 to ptr))
  br label %contb2

contb2:                                           ; preds = %condb2, %contb1
  %77 = and i64 8, %59
  %78 = icmp eq i64 8, %77
  br i1 %78, label %condb3, label %contb3

condb3:                                           ; preds = %contb2
  call void @__quantum__qis__rx__body(double 0x3FEE28C731EB6950, ptr inttoptr (i64 3 to ptr))
  br label %contb3

contb3:                                           ; preds = %condb3, %contb2
  %79 = icmp eq i64 1, %74
  %80 = zext i1 %79 to i64
  %81 = mul i64 %80, 16
  %82 = or i64 %81, %59
  %83 = sub i64 1, %80
  %84 = mul i64 %83, 16
  %85 = xor i64 9223372036854775807, %84
  %86 = and i64 %85, %82
  call void @__quantum__qis__mz__body(ptr inttoptr (i64 3 to ptr), ptr inttoptr (i64 3 to ptr))
  %87 = call i1 @__quantum__qis__read_result__body(ptr inttoptr (i64 3 to ptr))
  %88 = zext i1 %87 to i64
  %89 = mul i64 %88, 1
  %90 = or i64 %89, %74
  %91 = sub i64 1, %88
  %92 = mul i64 %91, 1
  %93 = xor i64 9223372036854775807, %92
  %94 = and i64 %93, %90
  %95 = and i64 16, %86
  %96 = icmp eq i64 16, %95
  br i1 %96, label %condb4, label %contb4

condb4:                                           ; preds = %contb3
  call void @__quantum__qis__x__body(ptr null)
  br label %contb4

contb4:                                           ; preds = %condb4, %contb3
  call void @__quantum__qis__reset__body(ptr null)
  call void @__quantum__qis__mz__body(ptr null, ptr null)
  %97 = call i1 @__quantum__qis__read_result__body(ptr null)
  %98 = zext i1 %97 to i64
  %99 = mul i64 %98, 1
  %100 = or i64 %99, %7
  %101 = sub i64 1, %98
  %102 = mul i64 %101, 1
  %103 = xor i64 9223372036854775807, %102
  %104 = and i64 %103, %100
  call void @__quantum__rt__int_record_output(i64 %104, ptr @0)
  call void @__quantum__rt__int_record_output(i64 %43, ptr @1)
  call void @__quantum__rt__int_record_output(i64 %94, ptr @2)
  call void @__quantum__rt__int_record_output(i64 %86, ptr @3)
  ret void
}

declare i1 @__quantum__qis__read_result__body(ptr)

declare void @__quantum__rt__int_record_output(i64, ptr)

declare void @__quantum__qis__cz__body(ptr, ptr)

declare void @__quantum__qis__h__body(ptr)

declare void @__quantum__qis__cnot__body(ptr, ptr)

declare void @__quantum__qis__t__body(ptr)

declare void @__quantum__qis__rz__body(double, ptr)

declare void @__quantum__qis__x__body(ptr)

declare void @__quantum__qis__mz__body(ptr, ptr writeonly) #1

declare void @__quantum__qis__rx__body(double, ptr)

declare void @__quantum__qis__reset__body(ptr)

attributes #0 = { "entry_point" "output_labeling_schema" "qir_profiles"="custom" "required_num_qubits"="4" "required_num_results"="4" }
attributes #1 = { "irreversible" }

!llvm.module.flags = !{!0, !1, !2, !3}

!0 = !{i32 1, !"qir_major_version", i32 2}
!1 = !{i32 7, !"qir_minor_version", i32 0}
!2 = !{i32 1, !"dynamic_qubit_management", i1 false}
!3 = !{i32 1, !"dynamic_result_management", i1 false}
